/* SPDX-License-Identifier: BSD-3-Clause */
/* Settings from the launcher, profiles, and the one card of the process. */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <unistd.h>

#include "emu/emu.h"
#include "emu/internal.h"
#include "cqesim/sim.h"

struct emu emu = {.lock = PTHREAD_MUTEX_INITIALIZER, .mtu = 1500, .clock_khz = 156250};

/* ---- log ---- */

static void say(const char *fmt, va_list ap)
{
	char line[1024];

	/* One write, so that lines of two threads do not mix. */
	int n = snprintf(line, sizeof(line), "cqesim card: ");
	n += vsnprintf(line + n, sizeof(line) - (size_t)n - 1, fmt, ap);
	if (n > (int)sizeof(line) - 2)
		n = (int)sizeof(line) - 2;
	line[n++] = '\n';
	if (write(STDERR_FILENO, line, (size_t)n) < 0)
		return; /* nowhere to say that */
}

void emu_log(const char *fmt, ...)
{
	va_list ap;

	if (emu.shared)
		__atomic_fetch_add(&emu.shared->statistics.calls, 1, __ATOMIC_RELAXED);
	if (!emu.verbose)
		return;
	va_start(ap, fmt);
	say(fmt, ap);
	va_end(ap);
}

void emu_warn(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	say(fmt, ap);
	va_end(ap);
}

void emu_unsupported(const char *function)
{
	emu_warn("%s: not emulated", function);
	errno = EOPNOTSUPP;
}

/* ---- the lock ---- */

void emu_lock(void)
{
	__atomic_fetch_add(&emu.waiters, 1, __ATOMIC_ACQ_REL);
	pthread_mutex_lock(&emu.lock);
	__atomic_fetch_sub(&emu.waiters, 1, __ATOMIC_ACQ_REL);
}

void emu_unlock(void)
{
	pthread_mutex_unlock(&emu.lock);
}

/* ---- the card ---- */

static struct emu_shared *map_shared(const char *folder, struct cqesim_error *err)
{
	char path[600];

	snprintf(path, sizeof(path), "%s/%s", folder, EMU_SHARED_FILE);
	int fd = open(path, O_RDWR | O_CLOEXEC);
	if (fd < 0) {
		cqesim_fail(err, -errno, "%s: %s", path, strerror(errno));
		return NULL;
	}
	struct emu_shared *shared = MAP_FAILED;
	if (lseek(fd, 0, SEEK_END) == (off_t)sizeof(*shared))
		shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	/* Open for as long as we live: the lock says that the folder is in use. */
	flock(fd, LOCK_SH | LOCK_NB);
	if (shared == MAP_FAILED || shared->size != sizeof(*shared)) {
		cqesim_fail(err, -EINVAL,
			    "%s: expected %zu bytes as this library has them; launcher and library "
			    "are of different builds",
			    path, sizeof(*shared));
		return NULL;
	}
	return shared;
}

static int apply_sets(const struct emu_settings *s, struct cqesim_error *err)
{
	for (unsigned i = 0; i < s->sets; i++) {
		int rc = cqesim_profile_set_text((struct cqesim_profile *[]){emu.device, emu.link},
						 2, s->set[i], err);

		if (rc)
			return rc;
	}
	return 0;
}

static int load_profiles(const struct emu_settings *s, struct cqesim_error *err)
{
	int rc = cqesim_profile_load(&emu.device, CQESIM_PROFILE_DEVICE, s->device, err);

	if (!rc)
		rc = cqesim_profile_load(
			&emu.link, CQESIM_PROFILE_LINK,
			*s->link ? s->link : cqesim_profile_text(emu.device, CQESIM_DEV_LINK), err);
	return rc ? rc : apply_sets(s, err);
}

/* The title is there and its arrays are not, so long that a poll comes, also on a busy machine. */
static void wait_for_a_poll(void *context)
{
	(void)context;
	usleep(20000);
}

static int create_card(const struct emu_settings *s, struct cqesim_error *err)
{
	struct cqesim_card_config config = {
		/* Captures at a sender hold unfinished ones. */
		.checksums = s->source == EMU_SOURCE_NUMBERED ? CQESIM_CHECKSUMS_VERIFY
							      : CQESIM_CHECKSUMS_L3,
		.want_csum = true,
		.check = s->check,
		.translate = emu_translate,
		.send = emu_sent,
		.event = emu_event,
		.tell_packets = *s->trace != '\0',
	};
	int rc = cqesim_sim_device(emu.device, emu.link, &config.nic, err);

	if (rc)
		return rc;
	config.nic.tick_ps = UINT64_C(1000000000) / emu.clock_khz;
	config.nic.compression =
		s->policy_given ? s->policy
		: !strcmp(cqesim_profile_text(emu.device, CQESIM_DEV_CQE_COMPRESSION), "aggressive")
			? CQESIM_COMP_AGGRESSIVE
			: CQESIM_COMP_BALANCED;
	config.nic.fault = s->fault;
	config.nic.fault_at = s->fault_at;
	config.nic.fault_early = wait_for_a_poll;
	return cqesim_card_create(&emu.card, &config, err);
}

static int set_up(struct cqesim_error *err)
{
	const struct emu_settings *s = emu.settings;
	int rc = load_profiles(s, err);

	if (!rc) {
		double gbps = cqesim_profile_num(emu.device, CQESIM_DEV_PORT_SPEED);

		emu.port_bps = (uint64_t)(gbps * 1e9 + 0.5);
		rc = emu_source_open(err);
	}
	if (!rc)
		rc = emu_sink_open(err);
	if (!rc)
		rc = emu_cable_open(err);
	if (!rc)
		rc = emu_events_open(err);
	if (!rc)
		rc = create_card(s, err);
	return rc;
}

/* Another process of the same launch may be gone by now; then the card is free again. */
static bool take_ownership(struct cqesim_error *err)
{
	int32_t owner = 0, self = (int32_t)getpid();

	if (__atomic_compare_exchange_n(&emu.shared->owner, &owner, self, false, __ATOMIC_ACQ_REL,
					__ATOMIC_ACQUIRE) ||
	    owner == self)
		return true;
	cqesim_fail(err, -EBUSY, "process %d has the card", (int)owner);
	return false;
}

/* The driver is EAL's sister and has its version; in a static program EAL may be out of sight. */
static void find_driver(struct emu_statistics *s)
{
	const char *(*version)(void);

	*(void **)&version = dlsym(RTLD_DEFAULT, "rte_version");
	if (version)
		snprintf(s->driver, sizeof(s->driver), "%s", version());
}

static void set_up_once(void)
{
	struct cqesim_error err = {""};
	const char *folder = getenv(EMU_FOLDER_VARIABLE);

	if (!folder || !*folder)
		return; /* loaded, but not by the launcher: a machine without devices */
	snprintf(emu.folder, sizeof(emu.folder), "%s", folder);
	emu.shared = map_shared(folder, &err);
	if (!emu.shared) {
		emu_warn("%s", err.text);
		return;
	}
	find_driver(&emu.shared->statistics);
	emu.settings = &emu.shared->settings;
	emu.devx = emu.settings->devx;
	emu.verbose = emu.settings->verbose;
	memcpy(emu.mac, emu.settings->mac, sizeof(emu.mac));
	if (!take_ownership(&err)) {
		emu_warn("%s", err.text);
		return;
	}
	if (set_up(&err)) {
		emu_cable_close();
		emu_warn("%s", err.text);
		emu.shared->statistics.phase = EMU_PHASE_FAILED;
		snprintf(emu.shared->statistics.message, sizeof(emu.shared->statistics.message),
			 "%s", err.text);
		return;
	}
	emu.shared->statistics.phase = EMU_PHASE_LISTED;
	emu.ready = true;
}

bool emu_setup(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, set_up_once);
	return emu.ready;
}

/*
 * The program ends without having closed its device, as many do.  Its other threads may
 * still run, so the card itself is left alone.
 */
__attribute__((destructor)) static void at_exit(void)
{
	if (!emu.ready || emu.shared->owner != (int32_t)getpid())
		return;
	emu_engine_stop();
	emu_sink_close();
	emu_events_close();
	emu_cable_close();
}
