"""Questions about sets of responses: conTest, decTest, nuggets, human diversity scores, certificates."""
