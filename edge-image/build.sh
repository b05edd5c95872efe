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
for image in "${@:-edge edge-jvm replica controller cli link}"; do
    for name in $image; do
        docker build --quiet --force-rm --tag "sluice/$name:$version" --file "$here/Dockerfile.$name" \
            --build-arg VERSION="$version" --build-arg REVISION="${REVISION:-unknown}" "$here"
    done
done
