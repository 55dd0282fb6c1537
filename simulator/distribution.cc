#include "simulator/distribution.h"

#include "core/base/portable_math.h"

namespace evenkeel::simulator {
namespace {

struct Drawer {
  Rng& rng;
  double operator()(const Constant& one) const { return one.value; }
  double operator()(const Uniform& one) const { return rng.Uniform(one.low, one.high); }
  double operator()(const Exponential& one) const { return rng.Exponential(one.mean); }
  // E exp(sigma Z) = exp(sigma^2 / 2), Z standard normal.
  double operator()(const LogNormal& one) const {
    return one.mean * PortableExp(one.sigma * rng.Normal() - one.sigma * one.sigma / 2);
  }
  // ln(X / least) is exponential with mean 1 / shape; E X = least * shape / (shape - 1).
  double operator()(const Pareto& one) const {
    const double least = one.mean * (one.shape - 1) / one.shape;
    return least * PortableExp(rng.Exponential(1 / one.shape));
  }
};

struct Averager {
  double operator()(const Constant& one) const { return one.value; }
  double operator()(const Uniform& one) const { return (one.low + one.high) / 2; }
  double operator()(const Exponential& one) const { return one.mean; }
  double operator()(const LogNormal& one) const { return one.mean; }
  double operator()(const Pareto& one) const { return one.mean; }
};

}  // namespace

double Draw(const Distribution& distribution, Rng& rng) {
  return std::visit(Drawer{rng}, distribution);
}

double MeanOf(const Distribution& distribution) { return std::visit(Averager{}, distribution); }

}  // namespace evenkeel::simulator
