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
  output <- file("/proc/self/fd/4", "w")
  cat(nonce, file = output, sep = "")
  close(output)
})
