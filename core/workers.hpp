#pragma once

#include <condition_variable>
#include <cstddef>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace tengen {

// Threads that share out a range of independent jobs. The split depends on the thread count alone, and each job owns
// its own random numbers, so results do not depend on it.
class Workers {
 public:
  explicit Workers(int threads);
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;
  ~Workers();

  std::size_t size() const { return threads_.size() + 1; }

  // Calls job(index, worker) for every index below count; returns when all are done. The first exception is rethrown.
  void share(std::size_t count, const std::function<void(std::size_t, std::size_t)>& job);

 private:
  void end();
  void work(std::size_t worker);
  void loop(std::size_t worker);

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
