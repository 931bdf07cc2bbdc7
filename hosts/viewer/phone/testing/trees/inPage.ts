import { build } from "esbuild"
import { join } from "node:path"
import type { Page } from "playwright-core"

/** Has an empty page load one of the programs beside this file, which puts what it does into the global object. */
export const loadProgram = async (page: Page, program: string): Promise<void> => {
  const { outputFiles } = await build({
    entryPoints: [join(import.meta.dirname, program)],
    bundle: true,
    write: false,
    format: "iife",
    define: { "import.meta.url": '""' }
  })
  await page.setContent("<!doctype html><meta charset=utf-8><body>")
  await page.evaluate(outputFiles[0]?.text ?? "")
}
