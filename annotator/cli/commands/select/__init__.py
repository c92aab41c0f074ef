"""Commands: Choose candidates: subjects, quotas, the queue, leases."""
