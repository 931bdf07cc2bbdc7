import type { Pack } from "../../modules/Pack.ts"
import { view } from "../../views/view.ts"

/** FlashList 1: its JavaScript places the rows. On a phone, the native part closes gaps before a row has its measured size. Version 2 has none. */
export const flashList: Pack = { components: { AutoLayoutView: view, CellContainer: view } }
