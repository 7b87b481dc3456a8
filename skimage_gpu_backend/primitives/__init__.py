"""What rooms are built of, and knows no function of scikit-image: reductions, histograms,
Gaussians, splines, maxima. They take device arrays, or give launches for a plan.
"""
