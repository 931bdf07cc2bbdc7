import { build } from "esbuild"

/** A program for a browser with all that it imports, as a classic script. */
export const bundled = async (program: string): Promise<string> => {
  const { outputFiles } = await build({
    entryPoints: [program],
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
  return outputFiles[0]?.text ?? ""
}
