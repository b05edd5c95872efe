#!/bin/sh
# Builds Sluice's images from sluice/binaries, which either of these made before:
#
#   docker build --tag sluice/binaries --file edge-image/Dockerfile.binaries .     from source
#   edge-image/pack.sh TARGET OUT && tar -C OUT -c . | docker import - sluice/binaries
#
# Names of images may be given: build.sh edge edge-jvm. VERSION and REVISION go into their labels.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
version=${VERSION:-0.1.0}
log=$(mktemp)
trap 'rm -f "$log"' EXIT
for image in "${@:-edge edge-jvm replica controller cli link}"; do
    for name in $image; do
        docker build --force-rm --tag "sluice/$name:$version" --file "$here/Dockerfile.$name" \
            --build-arg VERSION="$version" --build-arg REVISION="${REVISION:-unknown}" "$here" >"$log" 2>&1 || {
            cat "$log" >&2
            exit 70
        }
        echo "sluice/$name:$version"
    done
done
