import { asyncStorage } from "./asyncStorage.ts"
import { gestureHandler } from "./gestureHandler.ts"
import type { Pack } from "./Pack.ts"
import { safeArea } from "./safeArea.ts"
import { screens } from "./screens.ts"
import { svg } from "./svg.ts"

/** The packages whose native part the phone has. */
export const packs: ReadonlyArray<Pack> = [asyncStorage, gestureHandler, safeArea, screens, svg]
