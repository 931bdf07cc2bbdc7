/** Opens a bundle in a Chromium on this machine, as a replay would, and reports what comes up. */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { createReadStream } from "node:fs"
import { access, mkdtemp, rm } from "node:fs/promises"
import { createServer } from "node:http"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { linkedFontsIn } from "../../../core/rules/bundleFormat.ts"
import { type AppFile, collectReport, type FoundBundle } from "./findBundle.ts"

/** What came up, as the document of the app reports it. */
interface Opened {
  readonly isDrawn: boolean
  /** The first error, or the reason for which the bundle can't run. */
  readonly error?: string | undefined
  /** What the app asked for and a replay doesn't have: `component BVLinearGradient`. */
  readonly missing: ReadonlyArray<string>
}

/** A bundle that was opened, or why it wasn't. */
export type Opening = { readonly opened: Opened } | { readonly unchecked: string }

/** How long a machine has for the first screen, in milliseconds. */
const longest = 60_000

const maxReport = 1_000_000

/** Where browsers are usually installed. */
const places = [
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/usr/bin/google-chrome",
  "/usr/bin/google-chrome-stable",
  "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
  "/Applications/Chromium.app/Contents/MacOS/Chromium"
]

const browserOf = async ({ CHROMIUM, CHROME_BIN, CHROME_PATH }: Readonly<Record<string, string | undefined>>) => {
  const named = CHROMIUM ?? CHROME_BIN ?? CHROME_PATH
  for (const path of named === undefined ? places : [named]) {
    if (
      await access(path).then(
        () => true,
        () => false
      )
    )
      return path
  }
  return undefined
}

const documentOf = (
  script: string,
  isNative: boolean,
  fonts: ReadonlyArray<string>
): string => `<!doctype html><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1"><link rel="icon" href="data:,">
<style>html, body, #root { height: 100%; margin: 0 } #root { display: flex }</style><div id="root"></div>
<template data-fonts='${JSON.stringify(fonts).replaceAll("&", "&amp;").replaceAll("'", "&#39;")}'></template>
<script>(${String(collectReport)})()</script>
<script src="${isNative ? "/?phone" : script}" ${isNative ? `data-bundle="${script}"` : ""} crossorigin></script>`

const fieldsIn = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null ? { ...value } : {}

const openedIn = (text: string): Opened => {
  const { error, isDrawn, missing } = fieldsIn(JSON.parse(text))
  return {
    isDrawn: isDrawn === true,
    error: typeof error === "string" ? error : undefined,
    missing: Array.isArray(missing) ? missing.filter((one) => typeof one === "string") : []
  }
}

/** The scripts that the phone loads for apps that need them. */
type LazyScript = "sqlite.js" | "lottie.js" | "skia.js"

/** Serves an app to the browser on this machine; answers where, and what the document reports. */
const serveApp = async (
  { bundle, files }: FoundBundle,
  phone: string | undefined,
  lazyScript: (name: LazyScript) => Promise<string>
) => {
  const script = bundle.path.split("/").map(encodeURIComponent).join("/")
  const byPath = new Map<string, AppFile>([...files, bundle].map((file) => [`/${file.path}`, file]))
  let report: (opened: Opened) => void = () => {}
  const reported = new Promise<Opened>((resolve) => {
    report = resolve
  })
  const server = createServer((request, response) => {
    const { pathname, search } = new URL(request.url ?? "/", "http://localhost")
    if (request.method === "POST") {
      let text = ""
      request.setEncoding("utf8")
      request.on("data", (chunk: string) => {
        if (text.length < maxReport) text += chunk
      })
      request.on("end", () => {
        response.end()
        report(openedIn(text))
      })
      return
    }
    const file = byPath.get(decodeURIComponent(pathname))
    // As a replay, it reaches its own files only.
    response.setHeader("content-security-policy", "default-src 'self' 'unsafe-inline' 'unsafe-eval' blob: data:")
    if (pathname === "/" && search === "?phone") {
      response.setHeader("content-type", "text/javascript; charset=utf-8")
      response.end(phone)
    } else if (pathname === "/" && (search === "?sqlite" || search === "?lottie" || search === "?skia")) {
      response.setHeader("content-type", "text/javascript; charset=utf-8")
      lazyScript(search === "?sqlite" ? "sqlite.js" : search === "?skia" ? "skia.js" : "lottie.js").then(
        (text) => response.end(text),
        () => response.destroy()
      )
    } else if (pathname === "/") {
      response.setHeader("content-type", "text/html; charset=utf-8")
      response.end(
        documentOf(script, phone !== undefined, linkedFontsIn([...byPath.keys()].map((path) => path.slice(1))))
      )
    } else if (file === undefined) {
      response.statusCode = 404
      response.end()
    } else {
      response.setHeader("content-type", file.contentType)
      createReadStream(file.file)
        .on("error", () => response.destroy())
        .pipe(response)
    }
  })
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  const address = server.address()
  const port = typeof address === "object" && address !== null ? address.port : 0
  const stop = (): void => {
    server.closeAllConnections()
    server.close()
  }
  return { url: `http://127.0.0.1:${port}/`, reported, stop }
}

/** A script that runs a phone's own bundle, of the host that will replay it. */
const scriptOf = async (host: string | undefined, name: "phone.js" | LazyScript): Promise<string> => {
  const answer = await fetch(`${host?.replace(/\/+$/, "")}/cli/${name}`, { signal: AbortSignal.timeout(30_000) })
  if (!answer.ok) throw new Error(`it answered ${answer.status}`)
  return answer.text()
}

/** Opens a bundle in a browser of this machine, with the phone of `host`. */
export const openBundle = async (
  found: FoundBundle,
  options: {
    readonly isNative: boolean
    readonly host: string | undefined
    readonly device: { readonly width: number; readonly height: number }
    readonly env: Readonly<Record<string, string | undefined>>
    readonly signal: AbortSignal
  }
): Promise<Opening> => {
  const { device, env, host, isNative, signal } = options
  const browser = await browserOf(env)
  if (browser === undefined) return { unchecked: "this machine has no Chromium. CHROMIUM=/path/to/chromium names one" }
  let phone: string | undefined
  if (isNative) {
    if (host === undefined) return { unchecked: "SLIPWAY_URL is not set" }
    try {
      phone = await scriptOf(host, "phone.js")
    } catch (error) {
      return {
        unchecked: `the phone of ${host} can't be loaded: ${error instanceof Error ? error.message : String(error)}`
      }
    }
  }
  const { reported, stop, url } = await serveApp(found, phone, (name) => scriptOf(host, name))
  const profile = await mkdtemp(join(tmpdir(), "slipway-ci-"))
  const ended = new AbortController()
  const child = spawn(
    browser,
    [
      "--headless",
      "--no-sandbox",
      "--disable-gpu",
      "--no-first-run",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync",
      "--remote-debugging-port=0",
      `--user-data-dir=${profile}`,
      `--window-size=${device.width},${device.height}`,
      url
    ],
    { stdio: "ignore", detached: true }
  )
  const lost = new Promise<Opening>((resolve) => {
    child.once("error", ({ message }) => resolve({ unchecked: `${browser} can't be started: ${message}` }))
    child.once("exit", (code) => resolve({ unchecked: `${browser} ended with the code ${code}` }))
    const end = () => resolve({ unchecked: `${browser} showed nothing within ${longest / 1000} seconds` })
    AbortSignal.any([signal, ended.signal, AbortSignal.timeout(longest)]).addEventListener("abort", end, { once: true })
  })
  try {
    return await Promise.race([reported.then((opened) => ({ opened })), lost])
  } finally {
    ended.abort()
    stop()
    const exited =
      child.exitCode === null && child.signalCode === null && child.pid !== undefined ? once(child, "exit") : undefined
    try {
      // Its processes are one group.
      if (exited !== undefined && child.pid !== undefined) process.kill(-child.pid, "SIGKILL")
    } catch {
      child.kill("SIGKILL")
    }
    await exited
    await rm(profile, { recursive: true, force: true, maxRetries: 10 })
  }
}
