/** `npm run api`: writes what the package exports to `docs/api/`. */
import { mkdirSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { apiReports } from "./apiReport.ts"

const folder = join(import.meta.dirname, "..", "docs", "api")
const reports = await apiReports()
rmSync(folder, { recursive: true, force: true })
mkdirSync(folder, { recursive: true })
for (const [file, text] of reports) writeFileSync(join(folder, file), text)
