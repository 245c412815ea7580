# shellcheck shell=bash
# What scripts that run search engines in Java share: they source it.

case $(uname) in
Darwin) cache=$HOME/Library/Caches ;;
*) cache=${XDG_CACHE_HOME:-$HOME/.cache} ;;
esac

# usage prints the comment at the head of a script.
usage() { sed -n '2,/^set/s/^# \{0,1\}//p' "$0" | sed '$d'; }

fail() { # fail CODE MESSAGE…
    local code=$1
    shift
    printf "${0##*/}: %s\n" "$@" >&2
    exit "$code"
}

# install ENGINE VERSION DIR compiles the node whose Maven project is in DIR, and fetches its libraries, once for each
# state of that project. It sets `installed`: a directory with classes and lib.
install() {
    local engine=$1 version=$2 project=$3 temp
    installed=$cache/contentedge/$(echo "$engine" | tr '[:upper:]' '[:lower:]')-$version-$(cat "$project/pom.xml" "$project"/src/main/java/*.java | cksum | cut -d' ' -f1)
    command -v java >/dev/null || fail 4 'Java is missing' '  hint: apt-get install default-jdk-headless maven'
    [ ! -d "$installed" ] || return 0
    command -v mvn >/dev/null || fail 4 'Maven is missing' '  hint: apt-get install maven'
    mkdir -p "$cache/contentedge"
    temp=$(mktemp -d "$cache/contentedge/install-XXXXXX")
    cp -R "$project/." "$temp"
    if ! (cd "$temp" && mvn -B -q compile dependency:copy-dependencies -DincludeScope=runtime -DoutputDirectory="$temp/lib") >"$temp/log" 2>&1; then
        tail -n 20 "$temp/log" >&2
        rm -rf "$temp"
        fail 4 "Maven could not fetch $engine $version or compile the node" '  hint: it takes them from Maven Central, as its settings.xml says'
    fi
    mv "$temp/target/classes" "$temp/classes"
    mv "$temp" "$installed" 2>/dev/null || rm -rf "$temp" # another install was first
}

# running DIR: the process of the node in DIR exists. One that was killed exists as a zombie until the system reaps it.
running() {
    local pid
    [ -s "$1/pid" ] && pid=$(cat "$1/pid") && kill -0 "$pid" 2>/dev/null && [[ $(ps -o stat= -p "$pid" 2>/dev/null) != Z* ]]
}

# await DIR waits until the node in DIR has written its URL; it fails when the node ends or takes two minutes.
await() {
    local waited
    for ((waited = 0; waited < 600; waited++)); do
        [ ! -s "$1/url" ] || return 0
        running "$1" || return 1
        sleep 0.2
    done
    return 1
}

# end DIR… ends the nodes in these directories. A paused one is continued, because it could not end.
end() {
    local dir
    for dir; do ! running "$dir" || kill -TERM "$(cat "$dir/pid")" 2>/dev/null || true; done # it may have ended since
    for dir; do ! running "$dir" || kill -CONT "$(cat "$dir/pid")" 2>/dev/null || true; done
    for dir; do
        while running "$dir"; do sleep 0.1; done
        rm -f "$dir/pid" "$dir/url"
    done
}
