import type { Deletable } from "../../model/Deletable.ts"
import type { Shared } from "../../model/ShareLink.ts"

/** What messages call what a link opens. */
export const nameOfShared = (shared: Shared): string =>
  "preview" in shared ? `preview ${shared.preview}` : `test run ${shared.run}`

/** What messages call a build, a preview or a run. */
export const nameOfResource = (resource: Deletable): string =>
  "build" in resource
    ? `build ${resource.build}`
    : nameOfShared("preview" in resource ? resource : { run: resource.run })
