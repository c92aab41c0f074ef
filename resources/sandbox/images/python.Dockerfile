# Python with the libraries that answers use most, and the languages' orders and numbers that they ask for.
ARG BASE
FROM ${BASE}
RUN apt-get update -qq && \
    DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends python3-pytest python3-coverage \
        python3-numpy python3-pandas python3-requests python3-openpyxl python3-xlsxwriter python3-tz \
        python3-hypothesis python3-distutils python3-gdbm python3-lib2to3 locales >/dev/null && \
    for name in en_US en_GB de_DE fr_FR; do localedef -i $name -f UTF-8 $name.UTF-8; done && \
    rm -rf /var/lib/apt/lists/* && \
    mkdir -p /usr/lib/python3/dist-packages/yolk && touch /usr/lib/python3/dist-packages/yolk/__init__.py && \
    site=$(PYTHONUSERBASE=/annotator python3 -m site --user-site || true) && \
    mkdir -p "$(dirname "$site")" && ln -s /annotator/libraries "$site" && \
    python3 -m compileall -q /usr/lib/python3 || true
