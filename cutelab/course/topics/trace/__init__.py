"""Topic "trace": what a traced kernel looks like."""
