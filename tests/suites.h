SUITE(pcie)
SUITE(port)
SUITE(profile)
SUITE(trace)
