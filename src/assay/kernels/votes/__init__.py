"""Agreement of annotators, consensus and preferences."""
