# Reads the nonce, runs the program, and writes the nonce back only if its last line was reached.
local({
  program <- commandArgs(trailingOnly = TRUE)[[1]]
  input <- file("/proc/self/fd/3", "r")
  nonce <- readLines(input, warn = FALSE)
  close(input)
  expressions <- parse(program, keep.source = FALSE)
  for (expression in expressions) {
    result <- withVisible(eval(expression, globalenv()))
    if (result$visible) print(result$value)
  }
  # What stands before R's own checks would decide what the tests see.
  checks <- c("stopifnot", "identical", "all.equal", "isTRUE", "stop", "quit", "q", "==", "!=", "!")
  if (any(vapply(checks, exists, NA, envir = globalenv(), mode = "function", inherits = FALSE))) {
    stop("a check of R was replaced")
  }
  output <- file("/proc/self/fd/4", "w")
  cat(nonce, file = output, sep = "")
  close(output)
})
