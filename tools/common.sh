# shellcheck shell=bash disable=SC2034
# SPDX-License-Identifier: BSD-3-Clause
#
# common.sh - what tools/quickstart and tools/check share: finding out what is missing,
# installing it, and building in build/.  Sourced, not run.

top=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd)
build=${CQESIM_BUILD:-$top/build}
[[ $build == /* ]] || build=$PWD/$build
program=${0##*/}
no_install=

say() { printf '==> %s\n' "$*"; }

die()
{
	printf '%s: %s\n' "$program" "$1" >&2
	shift
	(($# == 0)) || printf '  %s\n' "$@" >&2
	exit 1
}

# ---- what is needed ----
#
# One line each: Debian's package, then how to tell whether what it brings is there (so that
# hand-made installations count too): "command NAME", "module NAME" (pkg-config), "compiler"
# ($CC, or gcc) or "headers" (the compiler makes programs).

packages_build='
gcc compiler
libc6-dev headers
make command make
pkg-config command pkg-config
libpcap-dev module libpcap
zlib1g-dev module zlib
libcyaml-dev module libcyaml
libyaml-dev module yaml-0.1
libjansson-dev module jansson'

packages_autotools='
autoconf command autoreconf
automake command automake
libtool command libtoolize'

# Optional: configure says what each switches off.
packages_optional='
libzstd-dev module libzstd
libibverbs-dev module libmlx5'

# Optional for the tests: DPDK and rdma-core, whose code, headers and programs are the judges.
packages_judge='
libdpdk-dev module libdpdk
libbsd-dev module libbsd
libnuma-dev module numa
dpdk-dev command dpdk-testpmd
gdb command gdb'

packages_check='
check module check'

dpkg_has()
{
	[[ $(dpkg-query -W -f '${Status}' "$1" 2>/dev/null) == 'install ok installed' ]]
}

compiler_works()
{
	local dir status=0
	dir=$(mktemp -d)
	printf '#include <stdio.h>\nint main(void) { return puts("") < 0; }\n' >"$dir/try.c"
	# CC may hold options.
	# shellcheck disable=SC2086
	${CC:-gcc} -o "$dir/try" "$dir/try.c" >"$dir/log" 2>&1 || status=1
	rm -rf "$dir"
	return $status
}

there() # PACKAGE KIND [NAME]
{
	case $2 in
	command) command -v "$3" >/dev/null ;;
	compiler)
		local words=${CC:-gcc}
		command -v "${words%% *}" >/dev/null
		;;
	headers) compiler_works ;;
	module)
		if command -v pkg-config >/dev/null; then
			pkg-config --exists "$3"
		else
			dpkg_has "$1"
		fi
		;;
	esac
}

missing() # LISTS... : the packages that are not there, a line each
{
	local package kind name
	while read -r package kind name; do
		[[ -z $package ]] || there "$package" "$kind" "$name" || echo "$package"
	done <<<"$*"
}

# ---- installing ----

as_root()
{
	if ((EUID == 0)); then
		"$@"
	else
		sudo "$@"
	fi
}

# The packages among those given that apt-get can install.
installable()
{
	local package policy
	for package; do
		policy=$(apt-cache policy "$package" 2>/dev/null)
		[[ $policy != *'Candidate: '[^\(]* ]] || echo "$package"
	done
}

apt() # apt-get's output is shown if it fails
{
	as_root env DEBIAN_FRONTEND=noninteractive apt-get -q -y -o DPkg::Lock::Timeout=120 "$@" \
		</dev/null >>"$log" 2>&1
}

# need REQUIRED OPTIONAL (lists as above): installs, or says what is missing.
need()
{
	local required optional wanted packages
	mapfile -t required < <(missing "$1")
	mapfile -t optional < <(missing "$2")
	packages=("${required[@]}" "${optional[@]}")
	if ((${#packages[@]} == 0)); then
		say "installing: nothing, all that is needed is there"
		return
	fi
	if [[ $no_install ]]; then
		((${#required[@]} == 0)) ||
			die "missing: ${required[*]} (Debian's names)" \
				"as root: apt-get install --no-install-recommends ${packages[*]}"
		say "doing without: ${optional[*]}"
		return
	fi
	command -v apt-get >/dev/null ||
		die "this system has no apt-get; install what these Debian packages hold:" \
			"${packages[*]}" "then run: $0 --no-install"
	((EUID == 0)) || command -v sudo >/dev/null ||
		die "cannot install: neither root nor sudo; as root, run:" \
			"apt-get install --no-install-recommends ${packages[*]}" \
			"then: $0 --no-install"
	if ((EUID != 0)); then
		say "installing needs root: sudo may ask for your password"
		sudo true || die "not installed, sudo says no: ${packages[*]}" \
			"once somebody has installed them, run: $0 --no-install"
	fi
	say "installing: reading package lists"
	apt update || say "apt-get update failed; going on with the lists that are there"
	mapfile -t wanted < <(installable "${optional[@]}")
	((${#wanted[@]} == ${#optional[@]})) ||
		say "not among this system's packages, doing without some of: ${optional[*]}"
	optional=("${wanted[@]}")
	packages=("${required[@]}" "${optional[@]}")
	((${#packages[@]} == 0)) || {
		say "installing: ${packages[*]}"
		apt install --no-install-recommends "${packages[@]}" || fail "apt-get install failed"
	}
	mapfile -t required < <(missing "$1")
	((${#required[@]} == 0)) || fail "still missing after installation: ${required[*]}"
}

# ---- building ----

# The log's end, then the reason.
fail()
{
	echo "---- the end of $log:" >&2
	tail -n 40 -- "$log" >&2
	echo "----" >&2
	die "$1 (all of it: $log)"
}

logged() { "$@" </dev/null >>"$log" 2>&1; }

# Refuses folder names that configure would refuse less clearly; opens the log.
prepare()
{
	case $top$build in
	*[[:space:]\"\#\$\&\'\`\\]*)
		die "autotools cannot build where a folder's name holds a space or one of \"#\$&'\`\\:" \
			"$top" "$build" \
			"rename it, or make a link with a plain name and go through that"
		;;
	esac
	if ! mkdir -p -- "$build" 2>/dev/null || [[ ! -w $build ]]; then
		die "cannot write to $build" \
			"to build elsewhere: CQESIM_BUILD=/some/other/folder $0"
	fi
	log=$build/$program.log
	: >"$log" || die "cannot write to $log"
}

# Is configure missing, or older than what it is made from?
configure_is_stale()
{
	local made
	for made in configure Makefile.in config.h.in; do
		[[ -e $top/$made ]] || return 0
	done
	[[ $top/configure.ac -nt $top/configure || $top/Makefile.am -nt $top/Makefile.in ]]
}

# What the outcome of configure hangs on.
fingerprint()
{
	local name module
	for name in CC CFLAGS CPPFLAGS LDFLAGS LIBS PKG_CONFIG_PATH; do
		printf '%s=%s\n' "$name" "${!name-}"
	done
	for module in libpcap zlib libcyaml yaml-0.1 jansson libzstd check libdpdk libmlx5; do
		printf '%s=%s\n' "$module" "$(pkg-config --modversion "$module" 2>/dev/null)"
	done
	printf '%s\n' "$top" "$@"
}

# build_cqesim CONFIGURE-ARGUMENTS...: build/cqesim, from scratch or from where it stands.
build_cqesim()
{
	local stamp=$build/configured-by-tools want
	if configure_is_stale; then
		say "making configure (autoreconf)"
		[[ -w $top ]] || die "cannot write to $top"
		logged autoreconf -fi "$top" || fail "autoreconf failed"
		# Unchanged output keeps its date; the next run should see that it is done.
		touch -- "$top/configure" "$top/Makefile.in" "$top/config.h.in"
	fi
	cd -- "$build" || die "cannot enter $build"
	want=$(fingerprint "$@")
	if [[ ! -e Makefile || $top/configure -nt config.status ||
		"$(cat -- "$stamp" 2>/dev/null)" != "$want" ]]; then
		# Objects do not know with which options they were compiled.
		[[ ! -e Makefile ]] || logged make clean || true
		say "configuring in $build"
		rm -f -- "$stamp"
		logged "$top/configure" "$@" || fail "configure failed"
		printf '%s\n' "$want" >"$stamp"
	fi
	say "building in $build"
	logged make -j"$(nproc 2>/dev/null || echo 2)" || fail "make failed"
}
