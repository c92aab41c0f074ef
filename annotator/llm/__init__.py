"""Ask language models: requests, answers, retries, prices and prompts; the only package that uses openai and httpx2."""
