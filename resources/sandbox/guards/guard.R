# Reads the nonce, runs the program, and writes the nonce back only if its last line was reached, or if the tests quit.
local({
  program <- commandArgs(trailingOnly = TRUE)[[1]]
  input <- file("/proc/self/fd/3", "r", raw = TRUE)
  nonce <- readLines(input, warn = FALSE)
  close(input)
  finish <- function() {
    # What stands before R's own checks would decide what the tests see.
    checks <- c("stopifnot", "identical", "all.equal", "isTRUE", "stop", "quit", "q", "==", "!=", "!")
    if (any(vapply(checks, exists, NA, envir = globalenv(), mode = "function", inherits = FALSE))) {
      stop("a check of R was replaced")
    }
    if ("package:testthat" %in% search()) {
      theirs <- grep("^(expect_|test_that$|fail$)", getNamespaceExports("testthat"), value = TRUE)
      if (any(theirs %in% ls(globalenv(), all.names = TRUE))) stop("a check of testthat was replaced")
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
})
