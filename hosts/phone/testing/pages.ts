import { once } from "node:events"
import { createServer } from "node:http"
import { join } from "node:path"
import { build, type BuildOptions } from "esbuild"

/** Serves these paths; returns where, and how to stop. */
export const serve = async (paths: ReadonlyMap<string, Served>) => {
  const server = createServer((request, response) => {
    const { pathname, search } = new URL(request.url ?? "/", "http://host")
    const served = paths.get(decodeURIComponent(pathname) + search)
    response.statusCode = served === undefined ? 404 : 200
    response.setHeader("content-type", served?.contentType ?? "text/plain")
    response.end(served?.body)
  })
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  const address = server.address()
  const url = `http://127.0.0.1:${typeof address === "object" ? address?.port : ""}`
  return { url, stop: () => server.close() }
}

/** What one path answers. */
interface Served {
  readonly contentType: string
  readonly body: string | Uint8Array
}

/** The script that mounts the phone, those that it loads when an app needs them, and the fonts that the page provides. */
interface Frame {
  readonly phone: string
  readonly lazy?: Readonly<Record<string, string>>
  readonly fonts?: Readonly<Record<string, Uint8Array>>
}

/** An app below a path, in a document of its own: with the script that mounts the phone, or by itself. */
export const appAt = (
  path: string,
  app: { readonly bundle: string | Uint8Array; readonly files: Files },
  frame?: Frame
): ReadonlyArray<readonly [string, Served]> => {
  const { fonts = {}, lazy = {}, phone } = frame ?? {}
  // Only a script that starts asks for the fonts of the page.
  const starting = Object.keys(fonts).length > 0 ? " data-starting" : ""
  const own = `<script src="phone.js" data-bundle="index.js"${starting}></script>`
  return [
    [`${path}/`, document(phone === undefined ? `<script src="index.js"></script>` : own)],
    [`${path}/index.js`, script(app.bundle)],
    ...(phone === undefined ? [] : [[`${path}/phone.js`, script(phone)] as const]),
    ...Object.entries(lazy).map(([name, text]) => [`${path}/?${name}`, script(text)] as const),
    ...Object.entries(fonts).map(
      ([name, body]) => [`${path}/?font=${name}`, { contentType: "font/woff2", body }] as const
    ),
    ...app.files.map(({ bytes, contentType, path: file }) => [`${path}/${file}`, { contentType, body: bytes }] as const)
  ]
}

const document = (script: string): Served => ({
  contentType: "text/html",
  body: `<!doctype html><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<link rel="icon" href="data:,"><style>html, body, #root { height: 100%; margin: 0 } #root { display: flex }</style>
<div id="root"></div>${script}`
})

type Files = ReadonlyArray<{ readonly path: string; readonly contentType: string; readonly bytes: Uint8Array }>

const script = (body: string | Uint8Array): Served => ({ contentType: "text/javascript", body })

/** A program for a browser with all that it imports, as a classic script. */
export const bundled = (program: string): Promise<string> => scriptOf({ entryPoints: [program] })

/** As {@link bundled}, of a program that only calls an exported function of a file in `hosts/phone`. */
export const bundledCall = (file: string, name: string, argument = ""): Promise<string> =>
  scriptOf({
    stdin: {
      contents: `import { ${name} } from "./${file}"; ${name}(${argument})`,
      resolveDir: join(import.meta.dirname, "..")
    }
  })

const scriptOf = async (entry: BuildOptions): Promise<string> => {
  const { outputFiles } = await build({
    ...entry,
    bundle: true,
    write: false,
    format: "iife",
    // Yoga reads its own location, and needs no file from there.
    define: { "import.meta.url": '""' },
    // As the viewer bundles sql.js.
    loader: { ".wasm": "binary" },
    external: ["fs", "path", "crypto"],
    charset: "utf8"
  })
  return outputFiles?.[0]?.text ?? ""
}
