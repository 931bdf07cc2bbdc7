import { join } from "node:path"
import type { Page } from "playwright-core"
import { bundled } from "../bundled.ts"

/** Has an empty page load one of the programs beside this file, which puts what it does into the global object. */
export const loadProgram = async (page: Page, program: string): Promise<void> => {
  await page.setContent("<!doctype html><meta charset=utf-8><body>")
  await page.evaluate(await bundled(join(import.meta.dirname, program)))
}
