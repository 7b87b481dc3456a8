"""Profiles of programs: what ran where, why, and what was copied for it."""
