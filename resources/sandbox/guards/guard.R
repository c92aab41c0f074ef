# Reads the nonce, runs the program, and writes the nonce back only if its last line was reached, or if the tests quit.
# Behind it stands how many blocks of testthat were run.
local({
  program <- commandArgs(trailingOnly = TRUE)[[1]]
  input <- file("/proc/self/fd/3", "r", raw = TRUE)
  nonce <- readLines(input, warn = FALSE)
  close(input)
  said <- function(text) {
    output <- file("/proc/self/fd/4", "w", raw = TRUE)
    cat(text, file = output, sep = "")
    close(output)
  }
  for (name in c(ANNOTATOR_NEEDS)) {
    if (nzchar(system.file(package = name))) next
    message(name, " is not in this sandbox")
    said(paste(nonce, "lacks"))
    base::quit(save = "no", status = 1, runLast = FALSE)
  }
  checks <- c("stopifnot", "identical", "all.equal", "isTRUE", "isFALSE", "stop", "quit", "q", "==", "!=", "!", "<", ">",
              "<=", ">=", "&&", "||", "&", "|", "(", "{", "if", "for", "while", "all", "any", "tryCatch")
  ours <- lapply(checks, get, envir = baseenv(), mode = "function")
  same <- identical
  find <- get
  each <- Map
  listed <- NULL
  # What blocks of testthat check is noted, and told at the end.
  listen <- function() {
    listed <<- testthat::ListReporter$new()
    testthat::set_reporter(listed)
  }
  count <- function() {
    blocks <- if (is.null(listed)) list() else listed$get_results()
    made <- do.call(c, each(function(block) block$results, blocks))
    made <- Filter(function(one) !inherits(one, "expectation_skip"), made)
    if (length(blocks) && !length(made)) stop("no check was made")
    for (one in made) if (inherits(one, c("expectation_failure", "expectation_error"))) stop(conditionMessage(one))
    length(blocks)
  }
  finish <- function() {
    blocks <- count()
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
    said(paste(c(nonce, blocks[blocks > 0]), collapse = " "))
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
    if (is.null(listed) && isNamespaceLoaded("testthat")) listen()
  }
  finish()
}, new.env(parent = baseenv()))
