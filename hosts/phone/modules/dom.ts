import { mountedOf, type Reference } from "../fabric/ShadowTree.ts"
import { elementOf, makeMeasures } from "../fabric/uiManager.ts"
import type { Modules } from "./Host.ts"

/** The nodes of what is drawn, as newer versions of React Native give them to apps. */
export const dom: Modules = ({ calls, surface }) => {
  const root: { handle: unknown } = { handle: null }
  const html = (node: Reference): HTMLElement | undefined => {
    const element = elementOf(surface, node)
    return element instanceof HTMLElement ? element : undefined
  }
  return {
    NativeDOMCxx: {
      ...makeMeasures(surface, calls),
      getChildNodes: (node: Reference) =>
        (typeof node === "number" ? surface.tree.roots : (mountedOf(surface.tree, node)?.children ?? [])).map(
          ({ family }) => family.handle
        ),
      getParentNode: (node: Reference) => {
        const mounted = mountedOf(surface.tree, node)
        return mounted === undefined ? null : (mounted.parent?.family.handle ?? root.handle)
      },
      getElementById: (_root: number, id: string) => {
        const match = surface.element.querySelector(`#${CSS.escape(id)}`)
        for (const one of surface.tree.roots) if (one.drawing.element === match) return one.family.handle
        return null
      },
      isConnected: (node: Reference) => typeof node === "number" || mountedOf(surface.tree, node) !== undefined,
      getBorderWidth: (node: Reference) => {
        const style = html(node)?.style
        const widths = [
          style?.borderTopWidth,
          style?.borderRightWidth,
          style?.borderBottomWidth,
          style?.borderLeftWidth
        ]
        return widths.map((width) => Number.parseFloat(width ?? "") || 0)
      },
      getInnerSize: (node: Reference) => [html(node)?.clientWidth ?? 0, html(node)?.clientHeight ?? 0],
      getScrollPosition: (node: Reference) => [html(node)?.scrollLeft ?? 0, html(node)?.scrollTop ?? 0],
      getScrollSize: (node: Reference) => [html(node)?.scrollWidth ?? 0, html(node)?.scrollHeight ?? 0],
      getTagName: (node: Reference) => `RN:${mountedOf(surface.tree, node)?.family.name ?? "Root"}`,
      getTextContent: (node: Reference) => elementOf(surface, node)?.textContent ?? "",
      getOffset: (node: Reference) => {
        const mounted = mountedOf(surface.tree, node)
        const around = mounted?.parent?.family.handle ?? root.handle
        return mounted === undefined ? [null, 0, 0] : [around, mounted.box.y, mounted.box.x]
      },
      hasPointerCapture: () => false,
      setPointerCapture: () => {},
      releasePointerCapture: () => {},
      linkRootNode: (tag: number, handle: unknown) => {
        root.handle = handle
        return tag
      }
    },
    NativeMicrotasksCxx: { queueMicrotask: (task: () => unknown) => queueMicrotask(() => calls.call(task)) },
    NativeIdleCallbacksCxx: {
      requestIdleCallback: (task: (deadline: unknown) => unknown) =>
        setTimeout(() => calls.call(task, { didTimeout: false, timeRemaining: () => 10 }), 1),
      cancelIdleCallback: (id: ReturnType<typeof setTimeout>) => clearTimeout(id)
    },
    NativeReactNativeFeatureFlagsCxx: {
      enableMicrotasks: () => true,
      useModernRuntimeScheduler: () => true,
      enableIntersectionObserverByDefault: () => false,
      enableMutationObserverByDefault: () => false
    }
  }
}
