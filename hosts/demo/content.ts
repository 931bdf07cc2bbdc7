import type { BuildUpload } from "../client/index.ts"
import type { BundledApp } from "./bundle.ts"

/** An app as the client uploads it, as a build or as a preview. */
export const contentOf = ({ bundle, bundleContentType, entry, files, isTransformed }: BundledApp) =>
  ({
    entry,
    isTransformed,
    deviceSpec: { width: 390, height: 844 },
    bundle: { body: bundle, contentType: bundleContentType },
    files: files.map(({ bytes, contentType, path }) => ({ path, contentType, body: bytes }))
  }) satisfies Partial<BuildUpload>
