/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The ring of a replay, walked.  The simulated driver reads its ring at its own
 * pace; what could be seen at each of its polls is put into a copy of the ring,
 * and the walk goes on there by as many completions as the poll returned.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "cqesim/sim.h"
#include "sim/ring_log.h"
#include "walk_run.h"

#define COMMAND  "walk"
#define LOG_SIZE 6 /* small enough to see laps */
#define PACKETS  32

struct follower {
	struct walking *k;
	struct ring_log log;
	uint8_t *ring; /* the copy */
	struct cqesim_error err;
	int failed;
};

static void written(void *context, unsigned queue, uint32_t slot, uint8_t *bytes)
{
	struct follower *f = context;

	(void)queue;
	if (!f->failed)
		f->failed = ring_log_written(&f->log, slot, bytes);
}

static void published(void *context, unsigned queue, uint64_t visible_ps)
{
	struct follower *f = context;

	(void)queue;
	ring_log_published(&f->log, visible_ps);
}

/* What can be seen at this time is in the copy. */
static int catch_up(struct follower *f, uint64_t now_ps)
{
	const struct ring_write *w;

	cqesim_walk_time(f->k->walk, now_ps);
	while ((w = ring_log_take(&f->log, now_ps))) {
		memcpy(f->ring + (size_t)w->slot * CQESIM_CQE_BYTES, w->bytes, CQESIM_CQE_BYTES);
		int rc = cqesim_walk_wrote(f->k->walk, w->slot);
		if (rc)
			return rc;
	}
	return 0;
}

static int polled(void *context, unsigned queue, uint64_t now_ps, const struct cqesim_completion *c,
		  unsigned n)
{
	struct follower *f = context;

	(void)queue;
	if (!f->failed)
		f->failed = catch_up(f, now_ps);
	for (unsigned i = 0; i < n && !f->failed; i++) {
		const struct cqesim_completion *mine = &f->k->last.completion;

		f->failed = walk_on(f->k, 1, &f->err);
		if (!f->failed && (f->k->last.kind == CQESIM_WALK_STOP ||
				   mine->index != c[i].index || mine->session_i != c[i].session_i ||
				   memcmp(&mine->meta, &c[i].meta, sizeof(c[i].meta))))
			f->failed =
				cqesim_fail(&f->err, -EBADMSG,
					    "internal error: the walk at index %u does not read "
					    "what the driver read at %u",
					    mine->index, c[i].index);
	}
	return f->failed;
}

/* ---- the simulation ---- */

struct run {
	struct cqesim_profile *device, *link, *driver, *host;
	struct cqesim_trace *trace;
	struct cqesim_port port;
	struct cqesim_port_stats stats;
	struct cqesim_replay replay;
};

static int load_profiles(struct run *r, const struct walk_options *o, enum cqesim_invalidate driver,
			 struct cqesim_error *err)
{
	static const char *const drivers[] = {
		[CQESIM_INVALIDATE_DPDK_SCALAR] = "dpdk-mlx5-scalar",
		[CQESIM_INVALIDATE_DPDK_VEC] = "dpdk-mlx5-vec",
		[CQESIM_INVALIDATE_LINUX] = "linux-mlx5e",
	};
	const char *device = o->device ? o->device : "connectx-5";
	int rc = cqesim_profile_load(&r->device, CQESIM_PROFILE_DEVICE, device, err);

	if (!rc)
		rc = cqesim_profile_load(&r->link, CQESIM_PROFILE_LINK,
					 cqesim_profile_text(r->device, CQESIM_DEV_LINK), err);
	if (!rc)
		rc = cqesim_profile_load(&r->driver, CQESIM_PROFILE_DRIVER, drivers[driver], err);
	if (!rc)
		rc = cqesim_profile_load(&r->host, CQESIM_PROFILE_HOST, "generic", err);
	return rc;
}

static int open_trace(struct run *r, const struct walk_options *o, struct cqesim_error *err)
{
	struct cqesim_trace_config config = {.limit = o->packets ? o->packets : PACKETS};
	double gbps = cqesim_profile_num(r->device, CQESIM_DEV_PORT_SPEED);

	if (!o->synthetic)
		return cqesim_trace_open(&r->trace, &o->input, 1, &config, err);
	return cqesim_trace_open_synthetic(&r->trace, o->synthetic, (uint64_t)(gbps * 1e9 + 0.5),
					   &config, err);
}

static void free_run(struct run *r)
{
	cqesim_sim_destroy(r->replay.sim[0]);
	cqesim_trace_close(r->trace);
	cqesim_profile_free(r->host);
	cqesim_profile_free(r->driver);
	cqesim_profile_free(r->link);
	cqesim_profile_free(r->device);
	free(r);
}

/* Profiles, trace and simulation for a ring of that shape. */
static int set_up(struct run *r, const struct walk_options *o, enum cqesim_invalidate driver,
		  struct cqesim_cq_shape *shape, const struct cqesim_ring_observer *observer,
		  struct cqesim_error *err)
{
	int rc = load_profiles(r, o, driver, err);

	if (!rc)
		rc = open_trace(r, o, err);
	if (rc)
		return rc;
	int format = o->format >= 0 ? o->format
				    : cqesim_mini_format_parse(cqesim_profile_text(
					      r->driver, CQESIM_DRV_MINI_FORMAT));
	shape->format = (enum cqesim_mini_format)format;
	/* As the driver chooses: as many completions as descriptors, or a multiple. */
	unsigned factor = (unsigned)cqesim_profile_u64(r->driver, CQESIM_DRV_CQ_FACTOR);
	unsigned slots = 1u << shape->log_size;
	struct cqesim_sim_config config = {
		.device = r->device,
		.link = r->link,
		.driver = r->driver,
		.host = r->host,
		.queues = 1,
		.ring = slots / factor,
		.cq_size = slots,
		.comp = o->comp ? (enum cqesim_comp_choice)o->comp : CQESIM_COMP_CHOOSE_AGGRESSIVE,
		.mini_format = format,
		.checksums = CQESIM_CHECKSUMS_L3,
		.observer = observer,
	};
	rc = cqesim_sim_create(&r->replay.sim[0], &config, err);
	if (!rc)
		rc = cqesim_sim_port(&r->port, &config, err);
	r->replay.sims = 1;
	r->replay.trace = r->trace;
	r->replay.port = &r->port;
	r->replay.port_stats = &r->stats;
	return rc;
}

/* A small ring at a high rate is a queue that loses packets: they are missed in the walk. */
static void warn(const struct cqesim_result *result)
{
	uint64_t lost = result->arrived - result->delivered;

	if (lost)
		complain("warning: %llu of %llu packets found no place in the ring: try a larger "
			 "--log-cqe-n, or a rate= in SPEC",
			 (unsigned long long)lost, (unsigned long long)result->arrived);
}

/* Run it, walk along, and look once more when nothing comes any more. */
static int follow(struct run *r, struct follower *f)
{
	struct cqesim_error err = {""};
	int rc = cqesim_replay_run(&r->replay, &err);

	/* Why the walk stopped is more exact than that the simulation was stopped. */
	if (rc && !f->failed)
		f->err = err;
	if (f->failed)
		rc = f->failed;
	if (!rc)
		warn(cqesim_sim_result(r->replay.sim[0]));
	if (!rc)
		rc = catch_up(f, UINT64_MAX - 1);
	if (!rc) {
		cqesim_walk_time(f->k->walk, UINT64_MAX);
		rc = walk_on(f->k, UINT64_MAX, &f->err);
	}
	const char *error = rc && rc != -ECANCELED ? f->err.text : NULL;
	int end = walk_end(f->k, error, &f->err);
	return error ? rc : end;
}

int walk_trace(struct walking *k)
{
	const struct walk_options *o = k->o;
	struct cqesim_cq_shape shape = {.log_size =
						o->log_size < 0 ? LOG_SIZE : (unsigned)o->log_size};
	enum cqesim_invalidate driver =
		o->driver < 0 ? CQESIM_INVALIDATE_DPDK_VEC : (enum cqesim_invalidate)o->driver;
	struct follower f = {.k = k};
	const struct cqesim_ring_observer observer = {
		.context = &f, .written = written, .published = published, .polled = polled};
	struct run *r = calloc(1, sizeof(*r));
	int rc = r ? set_up(r, o, driver, &shape, &observer, &f.err)
		   : cqesim_fail(&f.err, -ENOMEM, "out of memory");

	k->source = o->synthetic ? o->synthetic : o->input;
	if (!rc) {
		f.ring = aligned_alloc(64, cqesim_cq_ring_bytes(&shape));
		rc = f.ring ? 0 : cqesim_fail(&f.err, -ENOMEM, "out of memory");
	}
	if (!rc) {
		cqesim_cq_init_ring(f.ring, &shape);
		rc = walk_begin(k, f.ring, &shape, driver, 0, &f.err);
	}
	if (!rc)
		rc = follow(r, &f);
	if (rc && rc != -EPIPE)
		complain("%s", f.err.text);
	ring_log_free(&f.log);
	free(f.ring);
	if (r)
		free_run(r);
	if (rc == -EBADMSG)
		return EXIT_INTERNAL;
	int code = close_stdout();
	return rc ? EXIT_INPUT : code;
}
