ARG BASE
FROM ${BASE}
RUN apt-get update -qq && \
    DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends golang-go golang-github-stretchr-testify-dev >/dev/null && \
    rm -rf /var/lib/apt/lists/*
# The standard library is compiled here, so that programs only compile and link themselves.
RUN GODEBUG=installgoroot=all GOCACHE=/tmp/cache go install std; rm -rf /tmp/cache
# So is testify, in the same place.
RUN export GODEBUG=installgoroot=all GOCACHE=/tmp/cache GO111MODULE=off GOPATH=/usr/share/gocode && \
    cd "$(go env GOROOT)/pkg/linux_$(go env GOARCH)" && \
    go list -export -deps -f '{{if not .Standard}}{{.ImportPath}} {{.Export}}{{end}}' github.com/stretchr/testify/suite github.com/stretchr/testify/mock >/tmp/compiled && \
    while read -r path file; do [ -z "$path" ] || { mkdir -p "$(dirname "$path")" && cp "$file" "$path.a"; }; done </tmp/compiled && \
    test -e github.com/stretchr/testify/suite.a && rm -rf /tmp/cache /tmp/compiled
