ARG BASE
FROM ${BASE}
# Debian 12's own Go is of 2022 and refuses what people write now; its backports have a newer one. Where those are not
# to be had, the old one serves.
RUN mirror=$(sed -n 's/^\(deb\|URIs:\) *\(http[^ ]*\)\/debian\( .*\)\?$/\2/p' /etc/apt/sources.list /etc/apt/sources.list.d/* 2>/dev/null | head -1) && \
    echo "deb $mirror/debian bookworm-backports main" > /etc/apt/sources.list.d/newer.list && \
    { apt-get update -qq || { rm /etc/apt/sources.list.d/newer.list && apt-get update -qq; }; } && \
    export DEBIAN_FRONTEND=noninteractive && \
    if apt-get install -y -qq --no-install-recommends golang-1.23-go >/dev/null; then \
      ln -s /usr/lib/go-1.23/bin/go /usr/bin/go; \
    else apt-get install -y -qq --no-install-recommends golang-go >/dev/null; fi && \
    rm -rf /var/lib/apt/lists/*
# The standard library is compiled here, so that programs only compile and link themselves.
RUN GODEBUG=installgoroot=all GOCACHE=/tmp/cache go install std; rm -rf /tmp/cache
