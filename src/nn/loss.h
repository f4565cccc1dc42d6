/* Softmax and cross-entropy, in double inside and rounded to float once at the end. */
#ifndef GD_NN_LOSS_H
#define GD_NN_LOSS_H

#include "nn/network.h"

/* Gradient of the minibatch's mean cross-entropy by one image's logits, (softmax - one-hot) /
 * n_images, into dlogits; returns the image's cross-entropy. gd_softmax_cross_entropy (network.h)
 * is its twin for evaluation. */
double gd_softmax_gradient(const float logits[GD_N_CLASSES], uint8_t label, uint32_t n_images,
                           float dlogits[GD_N_CLASSES]);

#endif
