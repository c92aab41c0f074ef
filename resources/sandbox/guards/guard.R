# Reads the nonce, runs the program, and writes the nonce back only if its last line was reached, or if the tests quit.
local({
  program <- commandArgs(trailingOnly = TRUE)[[1]]
  input <- file("/proc/self/fd/3", "r", raw = TRUE)
  nonce <- readLines(input, warn = FALSE)
  close(input)
  checks <- c("stopifnot", "identical", "all.equal", "isTRUE", "isFALSE", "stop", "quit", "q", "==", "!=", "!", "<", ">",
              "<=", ">=", "&&", "||", "&", "|", "(", "{", "if", "for", "while", "all", "any", "tryCatch")
  ours <- lapply(checks, get, envir = baseenv(), mode = "function")
  same <- identical
  find <- get
  each <- Map
  finish <- function() {
    # What stands before R's own checks, or in their place, would decide what the tests see.
    for (kept in each(same, ours, lapply(checks, find, envir = globalenv(), mode = "function"))) {
      if (!kept) stop("a check of R was replaced")
    }
    if ("package:testthat" %in% search()) {
      theirs <- grep("^(expect_|test_that$|fail$)", getNamespaceExports("testthat"), value = TRUE)
      for (name in theirs) {
        check <- find(name, envir = globalenv(), mode = "function")
        if (!same(environment(check), asNamespace("testthat"))) stop("a check of testthat was replaced")
      }
    }
    output <- file("/proc/self/fd/4", "w", raw = TRUE)
    cat(nonce, file = output, sep = "")
    close(output)
  }
  # What quit is to the tests.
  leave <- function(save = "no", status = 0, runLast = FALSE) {
    if (status == 0) finish()
    base::quit(save = "no", status = status, runLast = FALSE)
  }
  assign("annotator_ANNOTATOR_KEY", leave, globalenv())
  for (expression in parse(program, keep.source = FALSE)) {
    result <- withVisible(eval(expression, globalenv()))
    if (result$visible) print(result$value)
  }
  finish()
}, new.env(parent = baseenv()))
