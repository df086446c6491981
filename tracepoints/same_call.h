/* SPDX-License-Identifier: MIT */
/*
 * Compares rows of the function tables with other people's headers, at compile time (C++17): the
 * same number of arguments, each of the same size and kind. For what "gen-functions check" makes.
 */
#ifndef DLT_TRACEPOINTS_SAME_CALL_H
#define DLT_TRACEPOINTS_SAME_CALL_H

#include <type_traits>

/*
 * An enumeration is passed as an int, a handle as any pointer. Where handles are ints (MPICH, A is
 * theirs), ours are pointers, which carry them: the other ABI tells handles from counts.
 */
#ifdef DLT_INT_HANDLES
constexpr bool int_handles = true;
#else
constexpr bool int_handles = false;
#endif

template <typename A, typename B> constexpr bool same_value()
{
	constexpr bool integers = (std::is_integral_v<A> || std::is_enum_v<A>) &&
				  (std::is_integral_v<B> || std::is_enum_v<B>);
	constexpr bool pointers = std::is_pointer_v<A> && std::is_pointer_v<B>;
	constexpr bool others = std::is_class_v<A> == std::is_class_v<B> &&
				std::is_floating_point_v<A> == std::is_floating_point_v<B> &&
				std::is_pointer_v<A> == std::is_pointer_v<B>;

	if (int_handles && std::is_same_v<A, int> && std::is_pointer_v<B>)
		return true;
	return sizeof(A) == sizeof(B) && alignof(A) == alignof(B) && (integers || pointers || others);
}

template <typename A, typename B> constexpr bool same_argument()
{
	if constexpr (std::is_void_v<A> || std::is_void_v<B>)
		return std::is_same_v<A, B>;
	else
		return same_value<A, B>();
}

template <typename A, typename B> struct same_call : std::false_type {};
template <typename RA, typename... A, typename RB, typename... B>
struct same_call<RA (*)(A...), RB (*)(B...)> {
	static constexpr bool check()
	{
		if constexpr (sizeof...(A) != sizeof...(B))
			return false;
		else
			return same_argument<RA, RB>() && (same_argument<A, B>() && ...);
	}
	static constexpr bool value = check();
};

#endif
