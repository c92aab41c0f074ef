ARG BASE
FROM ${BASE}
RUN apt-get update -qq && \
    DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends r-base-core r-cran-dplyr \
        r-cran-tidyverse r-cran-data.table r-cran-stringr r-cran-testthat >/dev/null && \
    rm -rf /var/lib/apt/lists/*
# Published suites call library(assert); this is all they use of it.
RUN mkdir -p /tmp/assert/R && cd /tmp/assert && \
    printf 'Package: assert\nVersion: 0.0.1\nTitle: Assert a Condition\nDescription: One function.\nLicense: Apache License 2.0\nAuthor: The annotator authors\nMaintainer: The annotator authors <nobody@example.org>\n' > DESCRIPTION && \
    printf 'export(assert)\n' > NAMESPACE && \
    printf 'assert <- function(condition, message = "assertion failed") { if (!isTRUE(all(condition))) stop(message); invisible(TRUE) }\n' > R/assert.R && \
    cd /tmp && R CMD INSTALL --no-docs assert && rm -rf /tmp/assert
