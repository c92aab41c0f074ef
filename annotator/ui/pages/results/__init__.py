"""The page Results: scores of models, and the answers behind them."""
