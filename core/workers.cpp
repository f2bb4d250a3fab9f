#include "workers.hpp"

namespace tengen {

Workers::Workers(int threads) : errors_(static_cast<std::size_t>(threads)) {
  try {
    for (int i = 1; i < threads; ++i) threads_.emplace_back([this, i] { loop(static_cast<std::size_t>(i)); });
  } catch (...) {  // the system has no more threads to give
    end();
    throw;
  }
}

Workers::~Workers() { end(); }

void Workers::share(std::size_t count, const std::function<void(std::size_t, std::size_t)>& job) {
  {
    const std::lock_guard lock(mutex_);
    job_ = &job;
    count_ = count;
    left_ = threads_.size();
    ++round_;
  }
  wake_.notify_all();
  work(0);
  std::unique_lock lock(mutex_);
  done_.wait(lock, [this] { return left_ == 0; });
  std::exception_ptr first;
  for (std::exception_ptr& error : errors_) {
    if (error && !first) first = error;
    error = nullptr;
  }
  if (first) std::rethrow_exception(first);
}

void Workers::end() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  wake_.notify_all();
  for (std::thread& thread : threads_) thread.join();
  threads_.clear();
}

void Workers::work(std::size_t worker) {
  try {
    for (std::size_t i = worker; i < count_; i += size()) (*job_)(i, worker);
  } catch (...) {
    errors_[worker] = std::current_exception();
  }
}

void Workers::loop(std::size_t worker) {
  std::size_t seen = 0;
  for (;;) {
    {
      std::unique_lock lock(mutex_);
      wake_.wait(lock, [&] { return stop_ || round_ != seen; });
      if (stop_) return;
      seen = round_;
    }
    work(worker);
    const std::lock_guard lock(mutex_);
    if (--left_ == 0) done_.notify_one();
  }
}

}  // namespace tengen
