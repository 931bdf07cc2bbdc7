import { kindAndIdOf, type Resource } from "../../core/model/Resource.ts"

const tables = {
  build: { table: "builds", key: "id" },
  preview: { table: "previews", key: "share_id" },
  run: { table: "test_runs", key: "id" }
} as const

/** The table of a resource, the column of its id, and the id. */
export const rowOf = (resource: Resource) => {
  const [kind, id] = kindAndIdOf(resource)
  return { ...tables[kind], id }
}
