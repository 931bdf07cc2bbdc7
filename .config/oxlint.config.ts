import { defineConfig } from "oxlint"
import { overrides } from "./arrows.ts"

export default defineConfig({
  plugins: ["typescript", "import", "unicorn"],
  categories: { correctness: "error", suspicious: "error" },
  ignorePatterns: ["**/dist/**", "**/node_modules/**"],
  rules: {
    "import/no-cycle": ["error", { ignoreTypes: false }],
    "import/no-unassigned-import": "off",
    "typescript/no-explicit-any": "error",
    "typescript/no-non-null-assertion": "error",
    "no-duplicate-imports": "error",
    "no-shadow": "off",
    "no-await-in-loop": "off",
    "no-underscore-dangle": "off",
    "require-yield": "off",
    "unicorn/consistent-function-scoping": "off"
  },
  overrides: [
    ...overrides(),
    {
      files: ["**/*.test.ts", "**/testing/**/*.ts"],
      rules: { "no-restricted-imports": "off", "typescript/no-non-null-assertion": "off" }
    }
  ]
})
