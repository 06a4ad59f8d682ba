# Watchpoints on both sides of a completion queue, for
#
#   cqesim card --wrap 'gdb -x doc/card-watch.gdb --args' ... -- dpdk-testpmd ...
#
# Stops when the first packets arrive, finds the completion queue that they go to, and watches the
# owner byte of its first two slots and the driver's doorbell record; then tells who writes.
set pagination off
set confirm off
set print thread-events off
set breakpoint pending on

tbreak cqesim_card_receive
tbreak cqesim_card_receive_posted
run
delete

set $cq = (struct card_cq *)0
set $i = 0
while $i < card->table[0].count
  set $c = (struct card_cq *)card->table[0].item[$i]
  if $c && $c->use == CARD_RECEIVES
    set $cq = $c
  end
  set $i = $i + 1
end
printf "watching: completion queue %d, ring at %p, doorbell record at %p\n", $cq->number, $cq->attr.ring, $cq->attr.dbrec

watch -l $cq->attr.ring[63]
commands
  backtrace 1
end
watch -l $cq->attr.ring[64 + 63]
commands
  backtrace 1
end
watch -l *$cq->attr.dbrec
commands
  printf "consumer index %d\n", (*$cq->attr.dbrec >> 24) + ((*$cq->attr.dbrec >> 16 & 255) << 8)
  backtrace 1
end
