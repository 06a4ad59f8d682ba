/* SPDX-License-Identifier: BSD-3-Clause */
/* cqesim link: command lines that are refused. */
#include "test_link_cli.h"

START_TEST(usage)
{
	struct output o = cli("link", "--help");

	says(&o, "usage: cqesim link");
	output_free(&o);
	fails(cli("link", "--what"), 2, "--what", NULL);
	fails(cli("link", "word"), 2, "word", NULL);
	fails(cli("link", "--frame", "63"), 2, "--frame 63", "64");
	fails(cli("link", "--frame", "64,"), 2, "--frame 64,", NULL);
	fails(cli("link", "--frame", "1..65536"), 2, "more than 4096", NULL);
	fails(cli("link", "--frame", "128..64"), 2, "--frame", NULL);
	fails(cli("link", "--link", "gen9x16"), 2, "gen9x16", "1..6");
	fails(cli("link", "--link", "gen3x16", "--link", "gen3x8"), 2, "--table", NULL);
	fails(cli("link", "--device", "nothing"), 2, "nothing", "connectx-5");
	fails(cli("link", "--device", "./nothing.yaml"), 1, "nothing.yaml", NULL);
	fails(cli("link", "--set", "no_such=1"), 2, "no_such", NULL);
	fails(cli("link", "--set", "mps=100"), 2, "mps", "power of two");
	fails(cli("link", "--session", "0.5"), 2, "--session 0.5", NULL);
	fails(cli("link", "--session", "8", "--compression", "off"), 2, "--session", "off");
	fails(cli("link", "--compressed", "101%"), 2, "--compressed 101%", NULL);
	fails(cli("link", "--compression", "arrays", "--cqe", "128"), 2, "not modelled", NULL);
	fails(cli("link", "--rate", "asis"), 2, "--rate", NULL);
	fails(cli("link", "--rate", "fast"), 2, "fast", NULL);
	fails(cli("link", "--published", "80"), 2, "--published", NULL);
	fails(cli("link", "--published", "80Mpps"), 2, "--combinations", NULL);
	fails(cli("link", "--table", "--bandwidth"), 2, "exclude", NULL);
	fails(cli("link", "--json", "--csv"), 2, "exclude", NULL);
	fails(cli("link", "--table", "--csv"), 2, "--csv", NULL);
	fails(cli("link", "--sweep", "weight=1..2"), 2, "size=, session=", NULL);
	fails(cli("link", "--sweep", "size=1..2"), 2, "64 to 65536", NULL);
	fails(cli("link", "--sweep", "size=64..9018:2"), 2, "more than 4096", NULL);
	fails(cli("link", "--sweep", "queues=1..65536"), 2, "more than 4096", NULL);
	fails(cli("link", "--sweep", "size=64..65536", "--set", "bus_clock=250", "--set",
		  "bus_width=32"),
	      2, "more than 4096 places", NULL);
	fails(cli("link", "--sweep", "mpw=1..4"), 2, "--tx", NULL);
	fails(cli("link", "--sweep", "session=1..4", "--device", "intel-e810"), 2, "intel-e810",
	      NULL);
	fails(cli("link", "--device", "intel-e810", "--cqe", "128"), 2, "mlx5", NULL);
	fails(cli("link", "--rq", "striding", "--strides", "8", "--stride-size", "64", "--frame",
		  "1518"),
	      2, "does not fit", NULL);
	fails(cli("link", "--tx", "--tx-mpw", "16", "--tx-inline", "64"), 2, "at most 63", NULL);
	fails(cli("link", "--wqe-bytes", "48"), 2, "multiple", NULL);
	fails(cli("link", "--efficiency", "0.1"), 2, "efficiency", NULL);
}
END_TEST

/* Nothing that was asked for is left out of the answer without a word. */
START_TEST(dropped)
{
	fails(cli("link", "--cqe", "128pad", "--session", "8"), 2, "--session", "not modelled");
	fails(cli("link", "--cqe", "128", "--compressed", "50%"), 2, "--cqe 128", "not modelled");
	fails(cli("link", "--compression", "off", "--compressed", "50%"), 2, "--compressed", "off");
	fails(cli("link", "--tx", "--tx-mpw", "8", "--tx-inline-min", "18"), 2, "--tx-mpw",
	      "--tx-inline-min");
	fails(cli("link", "--tx", "--sweep", "mpw=1..4", "--tx-inline-min", "18"), 2, "--tx-mpw",
	      "--tx-inline-min");
	fails(cli("link", "--cores", "2", "--tx"), 2, "--cores", "--tx");
	fails(cli("link", "--driver", "linux-mlx5e"), 2, "--driver", "--cores");
	fails(cli("link", "--sweep", "size=64..128", "--frame", "64"), 2, "--frame", "--sweep");
	fails(cli("link", "--sweep", "session=1..8", "--session", "4"), 2, "--session", "--sweep");
	fails(cli("link", "--sweep", "queues=1..8", "--queues", "4"), 2, "--queues", "--sweep");
	fails(cli("link", "--tx", "--sweep", "mpw=1..8", "--tx-mpw", "4"), 2, "--tx-mpw",
	      "--sweep");
	fails(cli("link", "--sweep", "session=1..8", "--compression", "off"), 2, "--sweep session",
	      "--compression off");
	fails(cli("link", "--sweep", "session=1..8", "--cqe", "128"), 2, "--sweep session",
	      "--cqe");
	fails(cli("link", "--sweep", "session=1..8", "--tx"), 2, "--sweep session", "--tx");
	fails(cli("link", "--rx", "--tx"), 2, "--rx, --tx and --forward", "exclude");
	fails(cli("link", "--tx", "--forward"), 2, "--rx, --tx and --forward", "exclude");
	fails(cli("link", "--tx", "--session", "8"), 2, "--session", "--tx");
	fails(cli("link", "--tx", "--rq", "striding"), 2, "--rq striding", "--tx");
	fails(cli("link", "--tx-inline", "64"), 2, "--tx-inline", "--forward");
	fails(cli("link", "--bluefield"), 2, "--bluefield", "--forward");
	fails(cli("link", "--strides", "64"), 2, "--strides", "--rq striding");
	fails(cli("link", "--table", "--rate", "3Mpps"), 2, "--rate", "--table");
	fails(cli("link", "--bandwidth", "--session", "8"), 2, "--session", "--bandwidth");
	fails(cli("link", "--bandwidth", "--tx"), 2, "--tx", "--bandwidth");
	fails(cli("link", "--combinations", "--wqe-fetch", "64"), 2, "--wqe-fetch",
	      "--combinations");
	/* The same twice, and both directions, are well. */
	struct output o = cli("link", "--tx", "--tx");
	says(&o, ", sending\n");
	output_free(&o);
	o = cli("link", "--forward", "--session", "8", "--tx-mpw", "4", "--cores", "8");
	says(&o, ", forwarding, ");
	output_free(&o);
}
END_TEST

/* As in the device: powers of two. */
START_TEST(strides)
{
	static const struct {
		const char *strides, *size, *says;
	} bad[] = {
		{"48", "64", "strides 48"},           {"4", "64", "--strides 4"},
		{"131072", "64", "--strides 131072"}, {"64", "100", "stride bytes 100"},
		{"64", "32", "--stride-size 32"},     {"64", "16384", "--stride-size 16384"},
	};

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		fails(cli("link", "--rq", "striding", "--strides", bad[i].strides, "--stride-size",
			  bad[i].size),
		      2, bad[i].says, NULL);
	struct output o =
		cli("link", "--rq", "striding", "--strides", "65536", "--stride-size", "8192");
	says(&o, "striding queue of 65536 x 8192 bytes");
	output_free(&o);
}
END_TEST

void add_link_usage(Suite *suite)
{
	TCase *t = tcase_create("usage");

	tcase_set_timeout(t, 60);
	tcase_add_test(t, usage);
	tcase_add_test(t, dropped);
	tcase_add_test(t, strides);
	suite_add_tcase(suite, t);
}
