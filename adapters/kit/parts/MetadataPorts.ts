import type { Ports } from "../../../core/layer.ts"
import type { ObjectStore } from "../../../core/ports/ObjectStore.ts"

export type MetadataPorts = Exclude<Ports, ObjectStore>
