#pragma once

#include <condition_variable>
#include <cstddef>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

namespace tengen {

// Threads that share out a range of independent jobs. The split depends on the thread count alone, and each job owns
// its own random numbers, so results do not depend on it.
class Workers {
 public:
  explicit Workers(int threads) : errors_(static_cast<std::size_t>(threads)) {
    try {
      for (int i = 1; i < threads; ++i) threads_.emplace_back([this, i] { loop(static_cast<std::size_t>(i)); });
    } catch (...) {  // the system has no more threads to give
      end();
      throw;
    }
  }
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;
  ~Workers() { end(); }

  std::size_t size() const { return threads_.size() + 1; }

  // Calls job(index, worker) for every index below count; returns when all are done. The first exception is rethrown.
  void share(std::size_t count, const std::function<void(std::size_t, std::size_t)>& job) {
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
    for (std::exception_ptr& error : errors_) {
      if (error) std::rethrow_exception(std::exchange(error, nullptr));
    }
  }

 private:
  void end() {
    {
      const std::lock_guard lock(mutex_);
      stop_ = true;
    }
    wake_.notify_all();
    for (std::thread& thread : threads_) thread.join();
    threads_.clear();
  }

  void work(std::size_t worker) {
    try {
      for (std::size_t i = worker; i < count_; i += size()) (*job_)(i, worker);
    } catch (...) {
      errors_[worker] = std::current_exception();
    }
  }

  void loop(std::size_t worker) {
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

  std::vector<std::exception_ptr> errors_;
  std::mutex mutex_;
  std::condition_variable wake_;
  std::condition_variable done_;
  const std::function<void(std::size_t, std::size_t)>* job_ = nullptr;
  std::size_t count_ = 0;
  std::size_t left_ = 0;
  std::size_t round_ = 0;
  bool stop_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace tengen
