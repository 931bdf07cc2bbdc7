import { StyleSheet, Text, View } from "react-native"
import { useTheme } from "../parts/theme.js"

const words = { in: () => "In berth", due: (at) => `Due ${at}`, out: () => "Out" }

/** Where a vessel is, in a word and a colour. */
export const StatusPill = ({ status, due }) => {
  const tone = useTheme()[status]
  return (
    <View style={[styles.pill, { backgroundColor: tone.fill }]}>
      <View style={[styles.dot, { backgroundColor: tone.ink }]} />
      <Text style={[styles.text, { color: tone.ink }]}>{words[status](due)}</Text>
    </View>
  )
}

const styles = StyleSheet.create({
  pill: {
    flexDirection: "row",
    alignItems: "center",
    alignSelf: "flex-start",
    gap: 6,
    borderRadius: 999,
    paddingVertical: 5,
    paddingHorizontal: 10
  },
  dot: { width: 6, height: 6, borderRadius: 3 },
  text: { fontSize: 12, fontWeight: "700" }
})
