ARG BASE
FROM ${BASE}
RUN apt-get update -qq && \
    DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends gcc g++ libc6-dev mold libboost-dev catch2 libgtest-dev libgmock-dev doctest-dev >/dev/null && \
    rm -rf /var/lib/apt/lists/*
# A precompiled header for programs that begin with bits/stdc++.h.
RUN mkdir -p /opt/annotator/pch/bits && cd /opt/annotator && \
    g++ -std=c++17 -x c++-header "$(find /usr/include -path '*bits/stdc++.h' | head -n 1)" -o pch/bits/stdc++.h.gch
