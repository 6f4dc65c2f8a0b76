// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The translator's library is used by what was built from the same sources
// only.

#include "runtime/Emulator/Translation/Fingerprint.h"

#include <gtest/gtest.h>

#include <dlfcn.h>
#include <memory>
#include <string>

using namespace populus::runtime::emulator;

namespace {

TEST(FingerprintTest, NamesSourcesAndLayout) {
  EXPECT_EQ(std::string(SourcesFingerprint).size(), 64u);
  EXPECT_EQ(fingerprint().rfind(SourcesFingerprint, 0), 0u);
  EXPECT_NE(fingerprint().find('.' + std::to_string(sizeof(Context))),
            std::string::npos);
}

TEST(FingerprintTest, TranslatorOfOtherSourcesIsRefused) {
  // Loads the library, and says where it is.
  const std::unique_ptr<Translator> translator = loadTranslator();
  ASSERT_TRUE(translator);
  Dl_info info;
  const void *table = *reinterpret_cast<void *const *>(translator.get());
  ASSERT_NE(dladdr(table, &info), 0);
  void *library = dlopen(info.dli_fname, RTLD_NOW | RTLD_LOCAL);
  ASSERT_TRUE(library);
  const auto open =
      reinterpret_cast<TranslatorFunction>(dlsym(library, TranslatorEntry));
  ASSERT_TRUE(open);
  EXPECT_TRUE(std::unique_ptr<Translator>(open(fingerprint().c_str())));
  EXPECT_FALSE(open((fingerprint() + ".0").c_str()));
  EXPECT_FALSE(open(""));
}

} // namespace
