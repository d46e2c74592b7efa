"""The same work by contestants in turns, so that ratios can be trusted: ours, C, the standard library, peers."""
