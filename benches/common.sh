# Functions for all benches: options, servers, wrk, medians. A bench sets `usage`, sources this
# file, and calls `parse`.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

rounds=3 seconds=2 tools=(wrk)
target=${CARGO_TARGET_DIR:-target}/release
scratch=$(mktemp -d)
pids=()

stop() {
  for pid in "${pids[@]}"; do kill "$pid" 2>/dev/null || true; done
  for pid in "${pids[@]}"; do wait "$pid" 2>/dev/null || true; done
  rm -rf "$scratch"
}
trap stop EXIT

# parse ARGUMENT...: parses the options of all benches. A bench parses its own in `option`, which
# sets the number of words.
parse() {
  while [ $# -gt 0 ]; do
    words=2
    case $1 in
      --rounds) rounds=$2 ;;
      --seconds) seconds=$2 ;;
      *) option "$@" || { echo "$usage" >&2; exit 2; } ;;
    esac
    shift "$words"
  done
  [[ " ${tools[*]} " != *" wrk "* || $seconds =~ ^[1-9][0-9]*$ ]] || { echo "--seconds $seconds: expected whole seconds, as wrk takes them" >&2; exit 2; }
  for tool in "${tools[@]}"; do
    command -v "$tool" >/dev/null || { echo "$tool is missing: see above in $0" >&2; exit 1; }
  done
}

now() { date +%s%N; }

# start NAME COMMAND...: starts a server and waits for its banner; sets `address`, `grpc_address`
# and `milliseconds`.
start() {
  local name=$1 begun
  shift
  : >"$scratch/$name"
  begun=$(now)
  "$@" >"$scratch/$name" 2>"$scratch/$name.log" &
  pids+=($!)
  until grep -qs '^ready$' "$scratch/$name"; do
    kill -0 $! 2>/dev/null || { cat "$scratch/$name.log" >&2; exit 1; }
    sleep 0.001
  done
  milliseconds=$((($(now) - begun) / 1000000))
  address=$(sed -n 's/^ *http  *//p' "$scratch/$name")
  grpc_address=$(sed -n 's/^ *grpc  *\(grpcs\{0,1\}:\/\/\)\{0,1\}//p' "$scratch/$name")
}

# ports: prints three consecutive unused ports.
ports() {
  local first port
  while true; do
    first=$((20000 + RANDOM % 12000))
    for port in "$first" $((first + 1)) $((first + 2)); do
      (: <>"/dev/tcp/127.0.0.1/$port") 2>/dev/null && continue 2
    done
    echo "$first" $((first + 1)) $((first + 2))
    return
  done
}

# native: replaces itself with a stock `tritonserver` with `options` and the functions of `backend`,
# and prints the lines that `start` waits for. A bench can define `more_models`, which writes further
# models to its argument.
backend=native_backend
native() {
  local http grpc metrics
  read -r http grpc metrics <<<"$(ports)"
  "$target/$backend" repository "$scratch/repository" --native >&2
  ! declare -F more_models >/dev/null || more_models "$scratch/repository/models"
  {
    for _ in $(seq 500); do
      curl --silent --fail "http://127.0.0.1:$http/v2/health/ready" && break
      sleep 0.02
    done
    printf '  http     http://127.0.0.1:%s\n  grpc     127.0.0.1:%s\nready\n' "$http" "$grpc"
  } &
  exec "$tritonserver" --backend-directory="$scratch/repository/backends" --model-repository="$scratch/repository/models" \
    --http-port="$http" --grpc-port="$grpc" --metrics-port="$metrics" "${options[@]}" >&2
}

# time_to_ready NAME COMMAND...: starts a server, records its milliseconds until ready, and stops
# it.
time_to_ready() {
  start "$@"
  echo "$milliseconds" >>"$scratch/$1.ready"
  kill "$!"
  wait "$!" || true
  unset 'pids[-1]'
}

# measure URL SCRIPT CONNECTIONS COUNT: prints requests per second, the median and the 99th
# percentile in microseconds, and the number of requests.
measure() {
  COUNT=$4 wrk -t1 -c"$3" -d"${seconds}s" --latency ${2:+-s "benches/$2"} "$1" | awk '
    function microseconds(time,  unit) {
      unit = time; gsub(/[0-9.]/, "", unit)
      return time * (unit == "s" ? 1000000 : unit == "ms" ? 1000 : 1)
    }
    / 50% / { p50 = microseconds($2) }
    / 99% / { p99 = microseconds($2) }
    / requests in / { requests = $1 }
    /^Requests\/sec/ { rate = $2 }
    /Non-2xx|Socket errors/ { print "error: " $0 > "/dev/stderr"; failed = 1 }
    END { print rate, p50, p99, requests; exit failed }'
}

cells=(
  "json.lua 1 0 JSON,_4_floats,_1_connection"
  "json.lua 8 0 JSON,_4_floats,_8_connections"
  "json.lua 32 0 JSON,_4_floats,_32_connections"
  "binary.lua 1 256 binary,_1_KiB,_1_connection"
  "binary.lua 1 65536 binary,_256_KiB,_1_connection"
  "binary.lua 1 1048576 binary,_4_MiB,_1_connection"
  "binary.lua 1 4194304 binary,_16_MiB,_1_connection"
  "binary.lua 1 16777216 binary,_64_MiB,_1_connection"
)

# measure_cells ROUND SERVER...: measures every cell on every server in turn. `<server>_url` is its
# URL, `<server>_cells` the number of cells that it supports (default: all), and `<server>_header` a
# header for JSON requests.
measure_cells() {
  local round=$1 servers=("${@:2}") index script connections count server url some header turn
  for index in "${!cells[@]}"; do
    read -r script connections count _ <<<"${cells[index]}"
    for turn in "${!servers[@]}"; do
      # The first server changes from round to round.
      server=${servers[(turn + round) % ${#servers[@]}]}
      url=${server}_url some=${server}_cells header=${server}_header
      [ "$index" -lt "${!some:-${#cells[@]}}" ] || continue
      HEADER=${!header:-} measure "${!url}" "$script" "$connections" "$count" >>"$scratch/$index.$server"
    done
  done
  echo "round $round of $rounds" >&2
}

# median FILE COLUMN
median() { sort -g -k"$2,$2" "$1" | awk -v c="$2" '{ v[NR] = $c } END { print v[int((NR + 1) / 2)] }'; }

# rate CELL SERVER, p50 CELL SERVER: the medians of a cell, which is an index into `cells`.
rate() { median "$scratch/$1.$2" 1; }
p50() { median "$scratch/$1.$2" 2; }

# ratio ONE OTHER
ratio() { awk -v a="$1" -v b="$2" 'BEGIN { printf "%.2f", a / b }'; }

# against CELL SERVER OTHER: the median of the ratios of the two rates in each round.
against() {
  paste "$scratch/$1.$2" "$scratch/$1.$3" | awk '{ print $1 / $(NF / 2 + 1) }' >"$scratch/ratios"
  printf '%.2f' "$(median "$scratch/ratios" 1)"
}

# goal LABEL VALUE at-least|at-most LIMIT: prints whether a value reaches its target.
goal() {
  local reached
  reached=$(awk -v value="$2" -v limit="$4" -v at_most="$([ "$3" = at-most ] && echo 1 || echo 0)" \
    'BEGIN { print (at_most ? value <= limit : value >= limit) ? "reached" : "missed" }')
  printf '%-48s %8s   %-8s %6s   %s\n' "$1" "$2" "${3/-/ }" "$4" "$reached"
}

# whole MEASURE CELL SERVER: prints a value without decimals.
whole() { printf '%.0f' "$("$1" "$2" "$3")"; }

# where_measured CELL SERVER COMMAND...: prints the output of the command, or a dash if the server
# does not support the cell.
where_measured() { if [ -s "$scratch/$1.$2" ]; then "${@:3}"; else echo -; fi; }

# table SERVER OTHER...: prints the medians of all cells, and the ratios of the server's rate to
# those of the others.
table() {
  local first=$1 index label server
  printf '%-32s' ""
  for server in "$@"; do printf ' %14s' "$server req/s"; done
  for server in "${@:2}"; do printf ' %16s' "$first/$server"; done
  for server in "$@"; do printf ' %16s' "$server p50 us"; done
  echo
  for index in "${!cells[@]}"; do
    read -r _ _ _ label <<<"${cells[index]}"
    printf '%-32s' "${label//_/ }"
    for server in "$@"; do printf ' %14s' "$(where_measured "$index" "$server" whole rate "$index" "$server")"; done
    for server in "${@:2}"; do printf ' %16s' "$(where_measured "$index" "$server" against "$index" "$first" "$server")"; done
    for server in "$@"; do printf ' %16s' "$(where_measured "$index" "$server" whole p50 "$index" "$server")"; done
    echo
  done
}
