/**
 * The frame of all screens: markup whose texts are escaped, the parameters of a request, and the
 * streams by which open pages follow what happens. Threads of the HTTP service call.
 */
@NullMarked
package ib.web.page;

import org.jspecify.annotations.NullMarked;
