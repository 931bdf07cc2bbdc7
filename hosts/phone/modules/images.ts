import { loadImage } from "../views/image.ts"
import type { Modules } from "./Host.ts"

/** What apps ask of images before they show them. */
export const images: Modules = ({ assetUrls }) => {
  const size = async (uri: string) => {
    const { image } = await loadImage(assetUrls(uri))
    return { width: image.naturalWidth, height: image.naturalHeight }
  }
  const fetched = (uri: string) => loadImage(assetUrls(uri)).then(() => true)
  return {
    ImageLoader: {
      getConstants: () => ({}),
      getSize: async (uri: string) => {
        const { height, width } = await size(uri)
        return [width, height]
      },
      getSizeWithHeaders: size,
      prefetchImage: fetched,
      prefetchImageWithMetadata: fetched,
      queryCache: async () => ({})
    },
    ImageEditingManager: { getConstants: () => ({}), cropImage: () => {} },
    ImageStoreManager: { getConstants: () => ({}) }
  }
}
