import type { Ports } from "../../../core/layer.ts"
import type { ObjectStore } from "../../../core/ports/ObjectStore.ts"

/** Every port that keeps metadata. */
export type MetadataPorts = Exclude<Ports, ObjectStore>
