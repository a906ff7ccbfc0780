# Read by build-kubernetes and build-liqo, in the directory of their Go module: builds $programs
# (name=package, a line each) with $flags, once for each version of the module, into a cache outside
# the work tree. Where they are already, it ends within milliseconds.
#
#   --where   only says in which directory they are, or will be
command -v go >/dev/null || {
  echo 'The tests run on programs that Go builds: install Go 1.26 or later, and try again.' >&2
  exit 1
}
export CGO_ENABLED=0

# Everything that the binaries depend on, so that another version never finds these.
key=$({ cat go.mod go.sum; go env GOVERSION GOOS GOARCH; echo "$flags"; } | sha256sum | cut -c1-16)
bin="${XDG_CACHE_HOME:-$HOME/.cache}/bourse/tools/$key"

if [ "${1:-}" = --where ]; then
  echo "$bin"
  exit
fi

missing() {
  for program in $programs; do
    [ -x "$bin/${program%%=*}" ] || echo "$program"
  done
}

[ -n "$(missing)" ] || exit 0

mkdir -p "$bin"
exec 9>"$bin/.lock"
flock -n 9 || {
  echo "Another run is building $title for the tests: waiting for it."
  flock 9
}

[ -z "$(missing)" ] || echo "Building $title for the tests: once, $takes on two cores."
for program in $(missing); do
  name=${program%%=*}
  began=$(date +%s)
  printf '  %s ' "$name"
  go build -trimpath -buildvcs=false -ldflags="$flags" -o "$bin/.$name" "${program#*=}" \
    >"$bin/.log" 2>&1 || {
    printf 'failed:\n' && cat "$bin/.log" >&2
    exit 1
  }
  # Under its name only when it is whole: an interrupted build goes on where it was.
  mv "$bin/.$name" "$bin/$name"
  echo "$(($(date +%s) - began)) s"
done
